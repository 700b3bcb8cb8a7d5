import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct SlotTagTests {
    @Test func describesTheContentsOfASlot() {
        #expect(!SlotTag.empty.isOccupied)
        #expect(!SlotTag.vacated.isOccupied)
        #expect(SlotTag.empty != .vacated)
        for hash in [0, 1, 0x1234_5678, 0xFFFF_FFFF] as [UInt32] {
            #expect(SlotTag(hash: hash).isOccupied)
        }
    }

    @Test func differsWithTheBitsAboveThoseOfTheStripeAndTheSlot() {
        #expect(SlotTag(hash: 0) == SlotTag(hash: 0xFFFF))
        for bit in 16..<23 { #expect(SlotTag(hash: 0) != SlotTag(hash: 1 << bit)) }
    }
}
