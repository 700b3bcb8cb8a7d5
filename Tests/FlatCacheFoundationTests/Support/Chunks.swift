import FlatCache
import TestSupport

/// A stream that supplies its elements on demand, and counts the requests.
struct Chunks<Element: Sendable>: AsyncSequence {
    struct Outage: Error {}

    struct Iterator: AsyncIteratorProtocol {
        let chunks: Chunks
        var index = 0

        mutating func next() async throws -> Element? {
            chunks.requests.append(index)
            if index == chunks.elements.count {
                if chunks.fails { throw Outage() }
                return nil
            }
            defer { index += 1 }
            return chunks.elements[index]
        }
    }

    let elements: [Element]
    /// A Boolean value that indicates whether the stream ends with an error.
    var fails = false
    let requests = Recorder<Int>()

    init(_ elements: [Element], fails: Bool = false) {
        self.elements = elements
        self.fails = fails
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }
}

extension AsyncSequence {
    /// Returns all elements.
    func all() async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}

extension Collection {
    /// Returns the elements in chunks of a size; the last can be smaller.
    func chunks(of size: Int) -> [[Element]] {
        var chunks: [[Element]] = []
        for (offset, element) in enumerated() {
            if offset % size == 0 { chunks.append([]) }
            chunks[chunks.count - 1].append(element)
        }
        return chunks
    }
}
