import Dispatch
import FlatCache

final class ReceivedValues<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var values: [Value?] = []
        /// The description of the first error in the listener.
        var failure: String?
    }

    /// The time, in seconds, that a listener's call may take to arrive after its write returns,
    /// because another thread may make the call.
    private let patience: Double

    private let state = Locked(State())
    private let arrival = DispatchSemaphore(value: 0)

    init(patience: Double) { self.patience = patience }

    var last: Value?? { state.withLock { $0.values.last } }

    func append(_ value: Value?) {
        state.withLock { $0.values.append(value) }
        arrival.signal()
    }

    func fail(_ error: any Error) {
        state.withLock { $0.failure = $0.failure ?? "\(error)" }
    }

    /// Waits until the listener has received a number of values; the check's deadline limits the
    /// wait.
    func wait(for count: Int) {
        while state.withLock({ $0.values.count }) < count { arrival.wait() }
    }

    /// Waits until the last value that the listener received equals another, and returns whether it
    /// does.
    func waitForLast(_ value: Value?) -> Bool {
        while last != .some(value) {
            guard arrival.wait(timeout: .now() + patience) == .success else { break }
        }
        return last == .some(value)
    }

    /// Expects that the listener received these values and no others.
    func expect(_ expected: [Value?], _ what: String) throws {
        while state.withLock({ $0.values.count < expected.count && $0.failure == nil }) {
            guard arrival.wait(timeout: .now() + patience) == .success else { break }
        }
        let (values, failure) = state.withLock { ($0.values, $0.failure) }
        if let failure { throw UnmetRequirement("a listener failed: \(failure)") }
        guard values == expected else {
            let list = values.map(UnmetRequirement.text).joined(separator: ", ")
            throw UnmetRequirement(
                "a listener should have received \(what), but received [\(list)]"
            )
        }
    }
}
