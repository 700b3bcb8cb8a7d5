import Testing

@testable import FlatCache

struct FollowingTests {
    @Test func tellsItsLimit() {
        #expect(Following.none.levelLimit == 0)
        #expect(Following.levels(3).levelLimit == 3)
        #expect(Following.allRelationships.levelLimit == .max)
    }
}
