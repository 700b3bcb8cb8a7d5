// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@_exported public import Dispatch

public protocol DispatchSourceMemoryPressure: AnyObject, DispatchSourceProtocol {
    var data: DispatchSource.MemoryPressureEvent { get }
    var mask: DispatchSource.MemoryPressureEvent { get }
}

public protocol DispatchSourceFileSystemObject: AnyObject, DispatchSourceProtocol {
    var handle: Int32 { get }
    var data: DispatchSource.FileSystemEvent { get }
    var mask: DispatchSource.FileSystemEvent { get }
}

extension DispatchSource {
    public struct MemoryPressureEvent: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let normal = Self(rawValue: 1)
        public static let warning = Self(rawValue: 2)
        public static let critical = Self(rawValue: 4)
        public static let all: Self = [.normal, .warning, .critical]
    }

    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent,
        queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure {
        fatalError("A stub declares; it does not behave.")
    }

    public class func makeFileSystemObjectSource(
        fileDescriptor: Int32,
        eventMask: FileSystemEvent,
        queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject {
        fatalError("A stub declares; it does not behave.")
    }
}
