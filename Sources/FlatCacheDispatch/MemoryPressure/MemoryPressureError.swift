#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why the kernel's memory pressure is not known.
public enum MemoryPressureError: Error, Hashable, Sendable {
    /// The file is not there.
    case missing(path: String)
    /// The file can't be read, for a reason that the system has given as an `errno`.
    case unreadable(path: String, errorNumber: Int32)
    /// The file holds something else than memory pressure.
    case notUnderstood(path: String, contents: String)
}

extension MemoryPressureError: CustomStringConvertible {
    /// What has happened, with the file that it has happened to.
    public var description: String {
        switch self {
        case .missing(let path):
            """
            There is no file \(path): this kernel doesn't measure memory pressure. It takes Linux \
            4.20 or later, built with CONFIG_PSI and, where that is off by default, started with \
            psi=1.
            """
        case .unreadable(let path, let errorNumber):
            """
            The memory pressure in \(path) can't be read: \(Self.reason(errorNumber)) \
            (error \(errorNumber)).
            """
        case .notUnderstood(let path, let contents):
            "The memory pressure in \(path) can't be understood: \(contents.debugDescription)."
        }
    }

    private static func reason(_ errorNumber: Int32) -> String {
        strerror(errorNumber).map { String(cString: $0) } ?? "unknown"
    }
}
#endif
