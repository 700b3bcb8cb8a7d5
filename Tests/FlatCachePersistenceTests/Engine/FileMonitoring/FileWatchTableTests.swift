import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

final class FileWatchTableTests {
    private var table = FileWatchTable<Int>()
    private let one = monitor()
    private let other = monitor()

    private static func monitor() -> FileMonitorCore {
        let core = FileMonitorCore(path: "/", watching: SilentWatching(nil), clock: SystemClock()) {
            _ in
        }
        // A dispatch queue must be activated before it is released.
        core.begin()
        return core
    }

    private func replace(
        with watches: [Int: Set<FileInterest>],
        of monitor: FileMonitorCore
    ) -> [Int] {
        table.replaceWatches(with: watches, of: monitor).unneeded
    }

    @Test func replacingWatchesReportsWhetherTheyHaveChanged() {
        #expect(table.replaceWatches(with: [1: [.itself]], of: one).hasChanged)
        #expect(!table.replaceWatches(with: [1: [.contents]], of: one).hasChanged)
        #expect(table.replaceWatches(with: [1: [.contents]], of: other).hasChanged)
        #expect(table.replaceWatches(with: [2: [.contents]], of: one).hasChanged)
        #expect(table.replaceWatches(with: [:], of: one).hasChanged)
        #expect(!table.replaceWatches(with: [:], of: one).hasChanged)
    }

    private func end(_ watch: Int) -> [FileWatchTable<Int>.Entry] { table.endWatch(watch) }

    @Test func watchStaysWhileAnyMonitorNeedsIt() {
        #expect(table.isEmpty)
        #expect(replace(with: [1: [.itself], 2: [.contents]], of: one).isEmpty)
        #expect(replace(with: [2: [.itself], 3: [.contents]], of: other).isEmpty)
        #expect(table.entries(for: 2).count == 2)
        #expect(table.monitors.count == 2)
        #expect(replace(with: [4: [.contents]], of: one) == [1])
        #expect(table.entries(for: 2).map(\.interests) == [[.itself]])
        #expect(Set(replace(with: [:], of: other)) == [2, 3])
        #expect(!table.isEmpty)
        #expect(replace(with: [:], of: one) == [4])
        #expect(table.isEmpty)
    }

    @Test func watchThatHasEndedIsForgotten() {
        _ = replace(with: [1: [.itself], 2: [.contents]], of: one)
        _ = replace(with: [2: [.contents]], of: other)
        #expect(end(2).count == 2)
        #expect(table.entries(for: 2).isEmpty)
        #expect(end(2).isEmpty)
        // The monitor still has its other watch.
        #expect(replace(with: [:], of: one) == [1])
        #expect(!table.isEmpty)
        #expect(replace(with: [:], of: other).isEmpty)
        #expect(table.isEmpty)
    }
}
