import FlatCache
import Testing

@testable import FlatCacheDispatch

struct MemoryPressureLevelTests {
    @Test func worseOneCounts() {
        #expect(MemoryPressureLevel(isWarning: false, isCritical: false) == nil)
        #expect(MemoryPressureLevel(isWarning: true, isCritical: false) == .warning)
        #expect(MemoryPressureLevel(isWarning: false, isCritical: true) == .critical)
        #expect(MemoryPressureLevel(isWarning: true, isCritical: true) == .critical)
        #expect(MemoryPressureLevel.warning < .critical)
    }

    @Test func eachHasItsTarget() {
        let targets = [MemoryPressureLevel.warning, .critical].map {
            $0.target(warning: .count(2), critical: .count(1))
        }
        #expect(targets == [.count(2), .count(1)])
    }
}
