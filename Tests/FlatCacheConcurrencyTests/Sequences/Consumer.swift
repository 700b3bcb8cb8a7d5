import Testing
@testable import FlatCache
@testable import FlatCacheTestSupport

/// A task on the main actor that takes the elements of a sequence one after another.
///
/// The task leaves the main actor only to await an element. If a test on the main actor finds that
/// the consumer has begun and taken all elements, the consumer is therefore suspended.
@MainActor
final class Consumer<Element: Sendable> {
    private struct State {
        var elements: [Element] = []
        var hasBegun = false
        var hasEnded = false
    }

    private let state = Locked(State())
    private(set) var task: Task<Void, Never>?

    var elements: [Element] { state.withLock(\.elements) }
    var hasBegun: Bool { state.withLock(\.hasBegun) }
    var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// Starts taking elements, unless the task is cancelled first.
    init(of sequence: CacheSequence<Element>) {
        task = Task {
            state.withLock { $0.hasBegun = true }
            for await element in sequence { state.withLock { $0.elements.append(element) } }
            state.withLock { $0.hasEnded = true }
        }
    }

    /// Returns a consumer that has begun.
    static func begun(_ sequence: CacheSequence<Element>) async -> Consumer {
        let consumer = Consumer(of: sequence)
        _ = await until { consumer.hasBegun }
        return consumer
    }

    func cancel() { task?.cancel() }

    /// Waits until a number of elements has arrived, and returns all elements so far.
    func elements(_ count: Int) async -> [Element] {
        _ = await until { elements.count >= count || hasEnded }
        return elements
    }

    /// Waits for the end of the sequence, and returns whether it has ended.
    func end() async -> Bool {
        await until { hasEnded }
    }
}
