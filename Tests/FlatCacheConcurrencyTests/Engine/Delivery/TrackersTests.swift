import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct TrackersTests {
    let trackers = Trackers()
    let told = Recorder<String>()

    private func track(_ name: String, _ trackers: Trackers, times: Int = 1) {
        withObservationTracking {
            for _ in 0..<times { trackers.access() }
        } onChange: { [told] in
            told.append(name)
        }
    }

    @Test func registeredTrackersAreNotified() {
        track("A", trackers)
        track("B", trackers)
        #expect(told.all == [])
        trackers.notify()
        #expect(told.all.sorted() == ["A", "B"])
    }

    @Test func trackersAreNotifiedOnce() {
        track("A", trackers)
        trackers.notify()
        trackers.notify()
        #expect(told.all == ["A"])
        track("B", trackers)
        trackers.notify()
        #expect(told.all == ["A", "B"])
    }

    @Test func repeatedRegistrationNotifiesOnce() {
        track("A", trackers, times: 3)
        trackers.notify()
        #expect(told.all == ["A"])
    }

    @Test func notifyingWithoutTrackersIsHarmless() {
        trackers.notify()
        trackers.access()
        trackers.notify()
        #expect(told.all == [])
    }

    @Test func trackersAreSeparate() {
        let others = Trackers()
        track("A", trackers)
        track("B", others)
        others.notify()
        #expect(told.all == ["B"])
    }

    @Test func trackerOfSeveralIsNotifiedByTheFirst() {
        let others = Trackers()
        withObservationTracking {
            trackers.access()
            others.access()
        } onChange: { [told] in
            told.append("A")
        }
        others.notify()
        trackers.notify()
        #expect(told.all == ["A"])
    }

    @Test func notifiedTrackersMayTrackAgain() {
        @Sendable func track(_ trackers: Trackers, _ round: Int) {
            withObservationTracking {
                trackers.access()
            } onChange: { [told] in
                told.append("\(round)")
                track(trackers, round + 1)
            }
        }
        track(trackers, 1)
        for _ in 1...3 { trackers.notify() }
        #expect(told.all == ["1", "2", "3"])
    }

    @Test func trackingDoesNotKeepThemAlive() {
        weak var weakTrackers: Trackers?
        do {
            let trackers = Trackers()
            weakTrackers = trackers
            track("A", trackers)
        }
        #expect(weakTrackers == nil)
        #expect(told.all == [])
    }

    @Test(.timeLimit(.minutes(15)))
    func trackingAndNotifyingOnSeveralThreadsIsSafe() {
        let rounds = 2_000
        let ended = onThreads(4) { [trackers, told] thread in
            for round in 0..<rounds {
                // Only one thread notifies, as only one at a time makes an observation's calls.
                if thread == 0 {
                    trackers.notify()
                } else {
                    withObservationTracking {
                        trackers.access()
                    } onChange: {
                        told.append("\(thread).\(round)")
                    }
                }
            }
        }
        #expect(ended)
        trackers.notify()
        let expected = (1...3).flatMap { thread in (0..<rounds).map { "\(thread).\($0)" } }
        // Each tracker is notified at least once. If the notification meets the installation of a
        // tracker, the Observation framework may call the tracker twice.
        #expect(Set(told.all) == Set(expected))
    }
}
