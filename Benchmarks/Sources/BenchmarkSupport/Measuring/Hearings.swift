import Dispatch
import FlatCache
import FlatCachePersistence
import Foundation
import Synchronization

/// Records when a listener receives the moments that another process writes.
final class Hearings: Sendable {
    /// A call of a listener.
    struct Hearing: Equatable {
        /// The written moment.
        var moment: Int
        /// The moment of the call.
        var heard: Int
    }

    private let hearings = Mutex<[Hearing]>([])
    private let hasHeard = DispatchSemaphore(value: 0)

    /// Records a call.
    func note(_ hearing: Hearing) {
        hearings.withLock { $0.append(hearing) }
        hasHeard.signal()
    }

    /// Returns the delay in nanoseconds from each moment to its arrival at a listener.
    ///
    /// Waits for the last moment, for at most a minute.
    ///
    /// - Parameter moments: The written moments, in order.
    /// - Returns: One delay for each moment, or none if the last moment didn't arrive.
    func delays(of moments: [Int]) -> [Double] {
        let deadline = DispatchTime.now() + .seconds(60)
        while true {
            let hearings = hearings.withLock { $0 }
            if let delays = Self.delays(of: moments, hearings) { return delays }
            guard hasHeard.wait(timeout: deadline) == .success else { return [] }
        }
    }

    /// Returns the delay from each moment to the first call with it or a later moment, or `nil` if
    /// one of the moments has no such call yet.
    ///
    /// A later moment counts because a moment can be overwritten before a listener reads it.
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
    /// Makes another process write moments, and returns the delay in nanoseconds from each moment
    /// to the call of a listener.
    ///
    /// - Parameter order: The writes, to the place of this persister.
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
