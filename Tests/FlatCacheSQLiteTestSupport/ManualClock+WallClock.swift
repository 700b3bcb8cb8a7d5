import FlatCacheTesting
import Foundation

extension ManualClock {
    /// A wall clock that advances with this one.
    var wallClock: @Sendable () -> Date {
        { [self] in Date(timeIntervalSince1970: now.offset / .seconds(1)) }
    }
}
