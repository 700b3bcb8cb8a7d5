import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct PresentLeasesTests {
    private var leases = PresentLeases()

    @Test mutating func leasesAreNumberedInTheirOrder() {
        #expect(leases.isEmpty)
        #expect(leases.oldest == .max)
        let (first, second) = (leases.begin(), leases.begin())
        #expect(first < second)
        #expect(leases.oldest == first)
        #expect(leases.contains(first))
        leases.end(first)
        #expect(!leases.contains(first))
        #expect(leases.oldest == second)
        #expect(!leases.isEmpty)
        leases.end(second)
        leases.end(second)
        #expect(leases.isEmpty)
        #expect(leases.begin() > second)
    }

    @Test mutating func writesConcernTheLeasesThatHaveBegun() {
        let first = leases.begin()
        #expect(leases.position >= first)
        let second = leases.begin()
        #expect(leases.position >= second)
        leases.end(second)
        #expect(leases.position >= first)
    }

    @Test mutating func answerConcernsOnlyEarlierLeases() {
        let (first, second, third) = (leases.begin(), leases.begin(), leases.begin())
        leases.storing = second
        #expect(leases.position >= first)
        #expect(leases.position < second)
        #expect(leases.position < third)
    }

    @Test mutating func removalOfEverythingConcernsTheLeasesThatHaveBegun() {
        let first = leases.begin()
        #expect(leases.lastRemovalOfAll < first)
        leases.recordRemovalOfAll()
        #expect(leases.lastRemovalOfAll >= first)
        let second = leases.begin()
        #expect(leases.lastRemovalOfAll < second)
        leases.end(first)
        #expect(leases.lastRemovalOfAll >= first)
        leases.end(second)
        #expect(leases.lastRemovalOfAll == 0)
    }
}
