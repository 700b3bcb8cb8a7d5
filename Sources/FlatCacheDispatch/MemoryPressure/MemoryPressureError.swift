#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An error in reading the kernel's memory pressure.
///
/// ```swift
/// import FlatCache
/// import FlatCacheDispatch
///
/// do {
///     let trimming = try cache.trimOnMemoryPressure()
///     print(trimming)
/// } catch MemoryPressureError.missing(let path) {
///     print("This kernel has no \(path), so the cache keeps its values.")
/// }
/// ```
public enum MemoryPressureError: Error, Hashable, Sendable {
    /// The file doesn't exist.
    case missing(path: String)
    /// The file can't be read, because of a system error with an `errno`.
    case unreadable(path: String, errorNumber: Int32)
    /// The file contains something other than memory pressure.
    case notUnderstood(path: String, contents: String)
}

extension MemoryPressureError: CustomStringConvertible {
    /// A message that describes the error and names the file.
    public var description: String {
        switch self {
        case .missing(let path):
            """
            There is no file \(path): this kernel doesn't measure memory pressure. That requires \
            Linux 4.20 or later, built with CONFIG_PSI and, where that is off by default, started \
            with psi=1.
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
