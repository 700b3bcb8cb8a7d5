import Foundation

/// The connection of the visitor's device, for a chapter that interrupts it.
final class Connection: @unchecked Sendable {
    // The lock guards the variable.

    private let lock = NSLock()
    private var isConnected = true

    var isUp: Bool {
        get { lock.withLock { isConnected } }
        set { lock.withLock { isConnected = newValue } }
    }
}

/// The error of a request without a connection.
struct Offline: Error {}
