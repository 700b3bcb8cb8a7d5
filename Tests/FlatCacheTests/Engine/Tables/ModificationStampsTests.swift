import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct ModificationStampsTests {
    private let stamps = ModificationStamps<Int, Int>()

    private var former: [Int?] { (1...5).map { stamps.formerStamp(of: $0) as? Int } }

    @Test("Former stamps are those of the moment from which on they are kept")
    func formerStamps() {
        for id in 1...4 { _ = stamps.set(id, of: id) }
        _ = stamps.keepFormerStamps(true)
        _ = stamps.set(10, of: 1)
        _ = stamps.set(11, of: 1)
        _ = stamps.forget(2)
        _ = stamps.set(12, of: 2)
        let undo = stamps.set(13, of: 3)
        undo()
        _ = stamps.set(14, of: 5)
        #expect(former == [1, 2, 3, 4, nil])
        _ = stamps.forgetAll()
        #expect(former == [1, 2, 3, 4, nil])
        _ = stamps.keepFormerStamps(false)
        #expect(former == [nil, nil, nil, nil, nil])
    }
}
