// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import Foundation

extension URL {
    public static var applicationSupportDirectory: URL {
        URL(fileURLWithPath: NSHomeDirectory() + "/Library/Application Support", isDirectory: true)
    }
}

extension NSString {
    public var abbreviatingWithTildeInPath: String { description }
}

extension FileManager {
    public func containerURL(
        forSecurityApplicationGroupIdentifier groupIdentifier: String
    ) -> URL? { nil }
}
