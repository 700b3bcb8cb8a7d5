import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct TagArenaTests {
    @Test(arguments: RandomTestSettings(seeds: 5).seeds)
    func cellsDontOverlapAndChunksAreFreed(seed: Seed) {
        var random = SplitMix64(seed: seed)
        var arena = TagArena()
        var cells: [(tags: UnsafeMutableRawPointer, chunk: Int, mark: UInt8)] = []
        for step in 0..<600 {
            if cells.isEmpty || random.below(600) > step {
                let (tags, chunk) = arena.allocate()
                let mark = UInt8(truncatingIfNeeded: step)
                let offset = TagArena.marksOffset(capacity: TagArena.maximumCapacity)
                for base in [tags, tags + offset] {
                    base.initializeMemory(
                        as: UInt8.self,
                        repeating: mark,
                        count: TagArena.maximumCapacity
                    )
                }
                cells.append((tags, chunk, mark))
            } else {
                let cell = cells.remove(at: random.below(cells.count))
                for slot in [0, TagArena.maximumCapacity - 1] {
                    #expect(cell.tags.load(fromByteOffset: slot, as: UInt8.self) == cell.mark)
                }
                arena.free(cell.tags, inChunk: cell.chunk)
            }
            #expect(arena.chunkCount * TagArena.cellCount >= cells.count)
        }
        for cell in cells { arena.free(cell.tags, inChunk: cell.chunk) }
        #expect(arena.chunkCount == 0)
    }

    @Test func marksFollowTheTagsOfSegmentsOutsideTheArena() {
        for capacity in [2, 16, 17, 1_024, 2_049] {
            #expect(!TagArena.contains(capacity: capacity))
            #expect((capacity..<capacity + 16).contains(TagArena.marksOffset(capacity: capacity)))
        }
        #expect(TagArena.contains(capacity: 1_025) && TagArena.contains(capacity: 2_048))
    }
}
