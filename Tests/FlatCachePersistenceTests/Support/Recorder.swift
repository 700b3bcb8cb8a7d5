@testable import FlatCache

/// Collects what observers are told, in order, from any thread.
final class Recorder<Element: Sendable>: Sendable {
    private let elements = Guarded<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    var count: Int { elements.withLock { $0.count } }

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    func removeAll() {
        elements.withLock { $0 = [] }
    }
}
