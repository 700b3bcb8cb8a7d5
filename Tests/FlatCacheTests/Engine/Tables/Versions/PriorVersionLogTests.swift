import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct PriorVersionLogTests {
    /// An object whose lifetime the test observes.
    private final class Witness: Sendable {}

    private struct Holder: Identifiable, Sendable {
        let id: Int
        let witness: Witness
    }

    private var log = PriorVersionLog<Holder>(
        deinitialize: CommitSteps<Holder>().deinitializePriorVersions
    )

    private mutating func append(_ id: Int, _ witness: Witness) -> PriorVersion<Holder>.Pointer {
        log.append(
            PriorVersion(value: Holder(id: id, witness: witness), version: UInt64(id), older: nil)
        )
    }

    @Test func emptyLogHasNoMemoryToRelease() {
        var log = log
        let memory = log.close()
        #expect(log.isEmpty && memory == nil)
    }

    @Test mutating func addressesStayValidWhenTheLogGrows() {
        let witness = Witness()
        var addresses: [PriorVersion<Holder>.Pointer] = []
        for id in 0..<10_000 { addresses.append(append(id, witness)) }
        #expect(addresses.map { $0.pointee.version } == Array(0..<10_000))
        #expect(addresses.map { $0.pointee.value?.id } == Array(0..<10_000))
        log.close()?.release()
    }

    @Test(arguments: [1, 4, 5, 3_000])
    mutating func valuesLiveUntilTheMemoryIsReleased(count: Int) {
        weak var first: Witness?
        weak var last: Witness?
        do {
            let witnesses = (0..<count).map { _ in Witness() }
            first = witnesses[0]
            last = witnesses[count - 1]
            for (id, witness) in witnesses.enumerated() { _ = append(id, witness) }
        }
        let memory = log.close()
        #expect(log.isEmpty && first != nil && last != nil)
        memory?.release()
        #expect(first == nil && last == nil)
    }

    @Test mutating func releasedMemoryServesTheNextTransaction() {
        let witness = Witness()
        let first = append(1, witness)
        let memory = log.close()
        // Another thread may still release the values.
        let second = append(2, witness)
        #expect(second != first)
        let otherMemory = log.close()
        #expect(otherMemory !== memory)
        memory?.release()
        otherMemory?.release()
        let third = append(3, witness)
        #expect(third == second)
        log.close()?.release()
    }
}
