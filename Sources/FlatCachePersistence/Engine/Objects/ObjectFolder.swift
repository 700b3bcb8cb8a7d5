import Foundation

/// The folder of the persistent objects that are created with a filename.
enum ObjectFolder {
    static var current: URL {
        let application = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        #if canImport(Darwin)
        return URL.applicationSupportDirectory.appendingPathComponent(application)
        #else
        return folder(
            of: application,
            environment: ProcessInfo.processInfo.environment,
            home: NSHomeDirectory()
        )
        #endif
    }

    /// Returns the folder that the XDG Base Directory Specification prescribes.
    ///
    /// - Parameters:
    ///   - application: The name of the application's own folder.
    ///   - environment: The environment variables. Relative paths are ignored.
    ///   - home: The user's home folder. It applies if the environment has no `HOME`.
    static func folder(of application: String, environment: [String: String], home: String) -> URL {
        func path(_ name: String) -> String? {
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let base = path("XDG_DATA_HOME") ?? "\(path("HOME") ?? home)/.local/share"
        return URL(fileURLWithPath: base, isDirectory: true).appendingPathComponent(application)
    }

    static func file(named name: String, in folder: URL) -> URL {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            preconditionFailure(
                """
                A persistent object was given the filename '\(name)', which is not the name of a \
                file in the folder for objects. Give the URL of a file elsewhere as `file:`.
                """
            )
        }
        return folder.appendingPathComponent(name, isDirectory: false)
    }
}
