@testable import FlatCache
@testable import FlatCacheTestSupport

/// A model of a mailbox that implements its contract in the simplest way: an array of elements and
/// a waiting consumer.
struct NaiveMailbox {
    let policy: BufferingPolicy
    private(set) var elements: [Int] = []
    private(set) var isAwaited = false
    private(set) var hasEnded = false

    init(policy: BufferingPolicy) {
        self.policy = policy
    }

    /// The effect of an operation on the waiting consumer and on the stored elements.
    struct Effect: Equatable {
        var wakesConsumer = false
        /// The element that the consumer receives, or `nil` at the end.
        var received: Int?
        var displaced: [Int] = []
    }

    mutating func put(_ element: Int) -> Effect {
        if hasEnded { return Effect() }
        if isAwaited {
            isAwaited = false
            return Effect(wakesConsumer: true, received: element)
        }
        elements.append(element)
        switch policy {
        case .newest(let limit) where elements.count > limit:
            return Effect(displaced: [elements.removeFirst()])
        case .oldest(let limit) where elements.count > limit:
            elements.removeLast()
            return Effect()
        default:
            return Effect()
        }
    }

    mutating func take() -> Int? { elements.isEmpty ? nil : elements.removeFirst() }

    mutating func wait() -> Effect {
        if let element = take() { return Effect(wakesConsumer: true, received: element) }
        if hasEnded { return Effect(wakesConsumer: true) }
        isAwaited = true
        return Effect()
    }

    mutating func end() -> Effect {
        hasEnded = true
        defer { isAwaited = false }
        return Effect(wakesConsumer: isAwaited)
    }

    mutating func cancel() -> Effect {
        var effect = end()
        effect.displaced = elements
        elements = []
        return effect
    }
}
