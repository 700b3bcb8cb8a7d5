import Foundation

/// Where the files of objects are that are given by their names.
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

    /// The folder as the XDG Base Directory Specification has it.
    ///
    /// - Parameters:
    ///   - application: The name of the application's own folder.
    ///   - environment: The variables of the environment; a relative path in one is ignored.
    ///   - home: The user's home folder, for an environment without `HOME`.
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
