import Testing

@testable import FlatCache

struct FollowingTests {
    @Test func tellsItsLimit() {
        #expect(Following.none.levelLimit == 0)
        #expect(Following.levels(3).levelLimit == 3)
        #expect(Following.allRelationships.levelLimit == .max)
    }

    @Test func extendedByOneReachesOneLevelFurther() {
        #expect(Following.none.extendedByOne == .levels(1))
        #expect(Following.levels(0).extendedByOne == .levels(1))
        #expect(Following.levels(3).extendedByOne == .levels(4))
        #expect(Following.levels(.max - 1).extendedByOne == .levels(.max))
        #expect(Following.levels(.max).extendedByOne == .levels(.max))
        #expect(Following.allRelationships.extendedByOne == .allRelationships)
    }

    @Test func extendingLeavesANumberThatTraps() {
        #expect(Following.levels(-1).extendedByOne == .levels(-1))
        #expect(Following.levels(.min).extendedByOne == .levels(.min))
    }
}
