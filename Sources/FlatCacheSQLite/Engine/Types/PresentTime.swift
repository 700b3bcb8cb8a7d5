#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

/// The present time on the wall clock and on a cache's clock.
struct PresentTime: Sendable {
    let wall: WallTime
    let instant: CacheInstant

    func instant(of time: WallTime) -> CacheInstant {
        self.instant(before: wall.age(of: time.milliseconds))
    }

    func instant(before age: Duration) -> CacheInstant { instant.advanced(by: .zero - age) }
}
#endif
