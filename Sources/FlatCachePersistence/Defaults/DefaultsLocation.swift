#if !canImport(Darwin)
import Foundation

/// Which of the user's defaults a `UserDefaults` object stands for, and the file that they lie in.
///
/// Found out by experiment with Foundation of Swift 6.3 on Linux, and checked by tests:
/// - A suite lies in `<suite name>.plist`; `UserDefaults.standard` in a file named after the main
///   bundle's identifier or, as most processes have none, the name of the process.
/// - The folder is `$XDG_CONFIG_HOME` if that is an absolute path, else `$HOME/.config`, else, without
///   `HOME`, `/.config`. `CFFIXED_USER_HOME` has no effect.
/// - The file is chosen at the first use of a domain in a process, once and for all.
struct DefaultsLocation: Hashable, Sendable {
    /// The name by which Foundation knows the domain, of which two may have one file.
    let domain: String

    /// The path of the file.
    let path: String

    /// How Foundation calls the domain of `UserDefaults.standard` where it wants a name.
    private static let standardDomain = "kCFPreferencesCurrentApplication"

    init(domain: String, path: String) {
        self.domain = domain
        self.path = path
    }

    /// Finds out what an object stands for.
    ///
    /// - Parameter defaults: The object.
    /// - Returns: The location, or `nil` if this Foundation does not tell.
    init?(_ defaults: UserDefaults) {
        guard let suite = Self.suite(of: defaults) else { return nil }
        self.init(suiteName: suite)
    }

    /// Finds where a suite is stored.
    ///
    /// - Parameter suiteName: The suite's name; `nil` for the standard defaults.
    init(suiteName: String?) {
        let folder = Self.folder(of: ProcessInfo.processInfo.environment)
        if let suiteName {
            domain = suiteName
            path = "\(folder)/\(suiteName).plist"
        } else {
            // Only once it has been used does this name stand for the standard defaults.
            _ = UserDefaults.standard.object(forKey: "")
            domain = Self.standardDomain
            let identifier = Bundle.main.bundleIdentifier ?? ""
            let name = identifier.isEmpty ? ProcessInfo.processInfo.processName : identifier
            path = "\(folder)/\(name).plist"
        }
    }

    static func folder(of environment: [String: String]) -> String {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        }
        return "\(environment["HOME"] ?? "")/.config"
    }

    /// Returns the name of an object's suite, `.some(nil)` for the standard defaults, or `nil` if it
    /// can't be found out.
    ///
    /// There is no public way; it is the only stored property of the kind.
    private static func suite(of defaults: UserDefaults) -> String?? {
        var mirror: Mirror? = Mirror(reflecting: defaults)
        while let current = mirror {
            if let child = current.children.first(where: { $0.label == "suite" }),
                let suite = child.value as? String?
            {
                return .some(suite)
            }
            mirror = current.superclassMirror
        }
        return nil
    }
}
#endif
