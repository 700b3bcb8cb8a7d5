import Synchronization

/// The connection of the visitor's device, which a chapter interrupts.
final class Connection: Sendable {
    private let state = Atomic(true)

    var isUp: Bool {
        get { state.load(ordering: .sequentiallyConsistent) }
        set { state.store(newValue, ordering: .sequentiallyConsistent) }
    }
}

/// The error of a request without a connection.
struct Offline: Error {}
