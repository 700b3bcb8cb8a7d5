import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A caller of a single flight's state, whose task waits until the state resumes it.
struct FlightCaller: Sendable {
    typealias Waiter = FlightWaiter<String, Int>

    let waiter = Waiter()
    let continuation: Waiter.Continuation
    private let task: Task<Void, Never>

    /// Creates a caller, and waits until its task is suspended.
    init() async throws {
        let (stream, source) = AsyncStream.makeStream(of: Waiter.Continuation.self)
        task = Task { await withUnsafeContinuation { _ = source.yield($0) } }
        var iterator = stream.makeAsyncIterator()
        continuation = try #require(await iterator.next())
    }

    /// The answers in the order of their keys, with a mark for those of calls that began before
    /// the caller had joined them.
    var answers: String {
        get async throws {
            await task.value
            return try waiter.answers().sorted { $0.key < $1.key }.map { key, answer in
                let output = answer.output.map(String.init) ?? "none"
                return "\(key): \(output)\(answer.isOwn ? "" : " (joined)")"
            }.joined(separator: ", ")
        }
    }
}
