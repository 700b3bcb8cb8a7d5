import FlatCache

/// A collector of values from any thread, such as the arguments of observers, in order.
package final class Recorder<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    package init() {}

    package var all: [Element] { elements.withLock { $0 } }

    package var count: Int { elements.withLock { $0.count } }

    package func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    package func removeAll() {
        elements.withLock { $0 = [] }
    }
}
