import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct ChunkedArrayTests {
    /// The sizes of chunks in bytes: one element, a few, and many.
    static let chunkSizes = [1, 50, 65_536]

    @Test(arguments: RandomTestSettings(seeds: 30).seeds, chunkSizes)
    func arrayBehavesLikeAnArray(seed: Seed, chunkSize: Int) {
        var random = SplitMix64(seed: seed)
        var array = ChunkedArray<String>(chunkSize: chunkSize)
        var expected: [String] = []
        for step in 0..<400 {
            // The array grows and shrinks in turn.
            let mostlyAppends = step % 200 < 100
            switch random.below(10) {
            case 0 where !expected.isEmpty:
                let index = random.below(expected.count)
                array[index] += "!"
                expected[index] += "!"
            case 1...6 where mostlyAppends, 1...2:
                // Longer than an inline string, so that a lost reference doesn't go unnoticed.
                array.append("the element of step \(step)")
                expected.append("the element of step \(step)")
            default:
                #expect(array.popLast() == expected.popLast(), "\(seed), step \(step)")
            }
            #expect(array.elementsEqual(expected), "\(seed), step \(step)")
        }
        array.removeAll()
        #expect(array.isEmpty)
    }

    @Test(arguments: chunkSizes)
    func copyIsIndependent(chunkSize: Int) {
        var array = ChunkedArray<String>(chunkSize: chunkSize)
        for number in 0..<10 { array.append("the element \(number)") }
        var copy = array
        copy[3] = "another element"
        copy.append("an eleventh element")
        array.removeLast()
        #expect(array[3] == "the element 3")
        #expect(array.count == 9)
        #expect(copy[3] == "another element")
        #expect(copy.count == 11)
        #expect(copy[9] == "the element 9")
    }

    @Test func elementsStayInPlaceWhenTheArrayGrows() {
        var array = ChunkedArray<Int>(chunkSize: 4 * MemoryLayout<Int>.stride)
        for number in 0..<4 { array.append(number) }
        let address = array.storage.address(of: 0)
        for number in 4..<100 { array.append(number) }
        #expect(array.storage.address(of: 0) == address)
        #expect(array.storage.chunks.count == 25)
    }

    @Test("Each element is in the array once when it gets or frees chunks of the default size")
    func severalChunks() {
        let places = GrowthStep.defaultChunkSize / MemoryLayout<Int>.stride
        let numbers = 0..<(3 * places + 1)
        var array = ChunkedArray<Int>(chunkSize: GrowthStep.defaultChunkSize)
        for number in numbers { array.append(number) }
        #expect(array.storage.chunks.count == 4)
        #expect(array.elementsEqual(numbers))
        var removed: [Int] = []
        while let last = array.popLast() { removed.append(last) }
        #expect(removed.elementsEqual(numbers.reversed()))
    }

    @Test func emptyChunksAreFreedExceptOne() {
        var array = ChunkedArray<Int>(chunkSize: 4 * MemoryLayout<Int>.stride)
        for number in 0..<100 { array.append(number) }
        for _ in 0..<80 { array.removeLast() }
        #expect(array.storage.chunks.count == 6)
    }

    @Test func allElementsAreReleasedExactlyOnce() {
        let recorder = Recorder<Int>()
        var array = ChunkedArray<Released<Element>>(chunkSize: 16)
        for number in 0..<9 { array.append(Released(Element(number, recorder))) }
        array.removeLast()
        #expect(recorder.all == [8])
        let copy = array
        array.append(Released(Element(9, recorder)))
        array.removeAll()
        #expect(recorder.all == [8, 9])
        #expect(copy.count == 8)
    }
}

/// An object that records its release.
private final class Element: Sendable {
    private let number: Int
    private let recorder: Recorder<Int>

    init(_ number: Int, _ recorder: Recorder<Int>) {
        self.number = number
        self.recorder = recorder
    }

    deinit { recorder.append(number) }
}
