import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct WakeTimeTests {
    @Test func earliestOfferedTimeIsTakenOnce() {
        let wakeTime = WakeTime()
        #expect(wakeTime.take() == nil)
        for time: Time? in [30, nil, 10, 20] { wakeTime.offer(time) }
        #expect(wakeTime.take() == 10)
        #expect(wakeTime.take() == nil)
    }

    @Test func timesThatAreNotEarlierThanTheKnownOneAreIgnored() {
        let wakeTime = WakeTime()
        wakeTime.offer(10)
        _ = wakeTime.take()
        wakeTime.offer(10)
        wakeTime.offer(20)
        #expect(wakeTime.take() == nil)
        wakeTime.offer(9)
        #expect(wakeTime.take() == 9)
        wakeTime.offer(9)
        #expect(wakeTime.take() == nil)
    }

    @Test func afterTheKnownTimeIsForgottenLaterTimesCount() {
        let wakeTime = WakeTime()
        wakeTime.offer(10)
        _ = wakeTime.take()
        wakeTime.forgetKnownTime()
        #expect(wakeTime.take() == nil)
        wakeTime.offer(20)
        #expect(wakeTime.take() == 20)
    }

    @Test func forgettingTheKnownTimeKeepsAnOfferedOne() {
        let wakeTime = WakeTime()
        wakeTime.offer(10)
        wakeTime.forgetKnownTime()
        wakeTime.offer(30)
        #expect(wakeTime.take() == 10)
    }

    @Test func pastTimesAreTaken() {
        let wakeTime = WakeTime()
        wakeTime.offer(.min)
        #expect(wakeTime.take() == .min)
        wakeTime.offer(.min)
        #expect(wakeTime.take() == nil)
    }
}
