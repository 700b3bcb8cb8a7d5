import FlatCache

/// A record of the last reported error.
///
/// With it, an error is reported only once until an operation succeeds.
final class ErrorRecord: Sendable {
    private let last = Locked<String?>(nil)

    /// Records an error, and returns whether it differs from the last reported one.
    func record(_ error: PersistenceError) -> Bool {
        let description = error.description
        return last.withLock { last in
            defer { last = description }
            return last != description
        }
    }

    /// Discards the last reported error, because an operation has succeeded.
    func clear() { last.withLock { $0 = nil } }
}
