#if !canImport(Darwin)
import Foundation

/// The domain that a `UserDefaults` object represents, and the path of its file.
///
/// These rules were determined by experiment with Foundation of Swift 6.3 on Linux; tests check
/// them:
/// - A suite is stored in `<suite name>.plist`. `UserDefaults.standard` is stored in a file named
///   after the main bundle's identifier or, as most processes have none, after the process.
/// - The folder is `$XDG_CONFIG_HOME` if that is an absolute path. Otherwise it is `$HOME/.config`
///   or, without `HOME`, `/.config`. `CFFIXED_USER_HOME` has no effect.
/// - Foundation chooses the file when a process first uses a domain, and never changes it.
struct DefaultsLocation: Equatable, Sendable {
    /// Foundation's name for the domain; two domains may share one file.
    let domain: String

    let path: String

    /// Foundation's name for the domain of `UserDefaults.standard`.
    private static let standardDomain = "kCFPreferencesCurrentApplication"

    init(domain: String, path: String) {
        self.domain = domain
        self.path = path
    }

    /// Returns `true` if two locations have the same bytes.
    static func == (left: DefaultsLocation, right: DefaultsLocation) -> Bool {
        left.domain.hasSameBytes(as: right.domain) && left.path.hasSameBytes(as: right.path)
    }

    /// Creates the location of the domain that an object represents, or returns `nil` if this
    /// version of Foundation doesn't reveal the suite.
    init?(_ defaults: UserDefaults) {
        guard let suite = Self.suite(of: defaults) else { return nil }
        self.init(suiteName: suite)
    }

    /// Creates the location of a suite.
    ///
    /// - Parameter suiteName: The suite's name; `nil` for the standard defaults.
    init(suiteName: String?) {
        let folder = Self.folder(of: ProcessInfo.processInfo.environment)
        if let suiteName {
            domain = suiteName
            path = "\(folder)/\(suiteName).plist"
        } else {
            // This name stands for the standard defaults only after their first use.
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

    /// Returns the name of an object's suite, `.some(nil)` for the standard defaults, or `nil` if
    /// the suite can't be determined.
    ///
    /// There is no public API for it, so this reads the stored property named `suite`.
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
