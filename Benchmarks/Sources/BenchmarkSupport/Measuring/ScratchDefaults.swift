import Foundation

/// A unique domain of the user's defaults that is removed with the object, or at the end of the
/// process.
final class ScratchDefaults {
    /// The name of the domain.
    let suiteName: String
    /// The user's defaults of the domain.
    let defaults: UserDefaults

    /// Creates an empty domain.
    init() throws {
        suiteName = "FlatCache-benchmarks-\(UUID().uuidString)"
        guard let defaults = UserDefaults(suiteName: suiteName) else {
            throw NoDomain(suiteName: suiteName)
        }
        self.defaults = defaults
        #if !canImport(Darwin)
        Leftovers.add(Self.file(of: suiteName))
        #endif
    }

    deinit {
        #if canImport(Darwin)
        defaults.removePersistentDomain(forName: suiteName)
        #else
        Leftovers.remove(Self.file(of: suiteName))
        #endif
    }

    #if !canImport(Darwin)
    /// Returns the file in which Foundation stores a suite.
    static func file(of suiteName: String) -> URL {
        let environment = ProcessInfo.processInfo.environment
        let folder =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? "\(environment["HOME"] ?? "")/.config"
        return URL(fileURLWithPath: "\(folder)/\(suiteName).plist", isDirectory: false)
    }
    #endif

    private struct NoDomain: Error, CustomStringConvertible {
        let suiteName: String

        var description: String { "There are no UserDefaults for a suite named \(suiteName)." }
    }
}
