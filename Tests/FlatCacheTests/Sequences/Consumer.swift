@testable import FlatCache

/// A task on the main actor that takes the elements of a sequence, one after the other.
///
/// It leaves the main actor only to await an element. So a test on the main actor that finds that
/// it has begun, and has taken all there is, knows that it is suspended.
@MainActor
final class Consumer<Element: Sendable> {
    private(set) var elements: [Element] = []
    private(set) var hasBegun = false
    private(set) var hasEnded = false
    private(set) var task: Task<Void, Never>?

    /// Begins to take elements, unless cancelled before it comes to that.
    init(of sequence: CacheSequence<Element>) {
        task = Task {
            hasBegun = true
            for await element in sequence { elements.append(element) }
            hasEnded = true
        }
    }

    /// A consumer that has begun.
    static func begun(_ sequence: CacheSequence<Element>) async -> Consumer {
        let consumer = Consumer(of: sequence)
        _ = await soon { consumer.hasBegun }
        return consumer
    }

    func cancel() { task?.cancel() }

    /// Waits for a number of elements in all; returns those that have come.
    func elements(_ count: Int) async -> [Element] {
        _ = await soon { elements.count >= count || hasEnded }
        return elements
    }

    /// Waits for the end of the sequence; returns whether it has come.
    func end() async -> Bool {
        await soon { hasEnded }
    }
}
