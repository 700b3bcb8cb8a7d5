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
    static func folder(of application: String, environment: [String: String], home: String) -> URL {
        var base = "\(home)/.local/share"
        // The specification has relative paths ignored.
        if let given = environment["XDG_DATA_HOME"], given.hasPrefix("/") { base = given }
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
