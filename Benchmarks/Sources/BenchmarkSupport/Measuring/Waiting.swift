import Dispatch
import Synchronization

extension Row {
    /// Blocks the thread until an asynchronous closure has returned.
    @discardableResult
    static func wait<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) throws -> Result {
        let end = DispatchSemaphore(value: 0)
        let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
        Task {
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
            end.signal()
        }
        end.wait()
        guard let outcome = outcome.withLock({ $0 }) else { preconditionFailure("No outcome.") }
        return try outcome.get()
    }
}
