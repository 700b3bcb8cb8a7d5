import Dispatch
import FlatCachePersistence
import Foundation
import Synchronization

/// Notes when a listener hears of the moments that another process writes.
final class Hearings: Sendable {
    /// One call of a listener.
    struct Hearing: Equatable {
        /// The moment that was written.
        var moment: Int
        /// The moment of the call.
        var heard: Int
    }

    private let hearings = Mutex<[Hearing]>([])
    private let hasHeard = DispatchSemaphore(value: 0)

    /// Notes a call.
    func note(_ hearing: Hearing) {
        hearings.withLock { $0.append(hearing) }
        hasHeard.signal()
    }

    /// Returns how many nanoseconds after each moment a listener knew of it.
    ///
    /// Waits for the last one, at most a minute.
    ///
    /// - Parameter moments: The moments that were written, in their order.
    /// - Returns: As many times as there are moments, or none if the last one was never heard of.
    func delays(of moments: [Int]) -> [Double] {
        let deadline = DispatchTime.now() + .seconds(60)
        while true {
            let hearings = hearings.withLock { $0 }
            if let delays = Self.delays(of: moments, hearings) { return delays }
            guard hasHeard.wait(timeout: deadline) == .success else { return [] }
        }
    }

    /// Returns the time from each moment to the first call that told of it or of a later one, since what
    /// has been overwritten meanwhile is told by what has overwritten it.
    ///
    /// - Returns: `nil` if there is one of which no call has told yet.
    static func delays(of moments: [Int], _ hearings: [Hearing]) -> [Double]? {
        var delays: [Double] = []
        var next = hearings.startIndex
        for moment in moments {
            guard let found = hearings[next...].firstIndex(where: { $0.moment >= moment }) else {
                return nil
            }
            delays.append(Double(hearings[found].heard - moment))
            next = found
        }
        return delays
    }
}

extension Persister<Int> {
    /// Has another process write moments, and returns how many nanoseconds later a listener knew of each.
    ///
    /// - Parameter order: What to write; to the place of this persister.
    func delays(_ order: OutsideWriter.Order) throws -> [Double] {
        let hearings = Hearings()
        let token = addUpdateListener { update in
            let heard = Int(Stopwatch.now)
            guard case .success(let update) = update else { return }
            hearings.note(Hearings.Hearing(moment: update.newValue, heard: heard))
        }
        defer { token.dispose() }
        return hearings.delays(of: try OutsideWriter.moments(order))
    }
}
