import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct RelationshipDepthTests {
    @Test func hasItsLimit() {
        #expect(RelationshipDepth.none.levelLimit == 0)
        #expect(RelationshipDepth.levels(3).levelLimit == 3)
        #expect(RelationshipDepth.allRelationships.levelLimit == .max)
    }

    @Test func extendedByOneReachesOneLevelFurther() {
        #expect(RelationshipDepth.none.extendedByOne == .levels(1))
        #expect(RelationshipDepth.levels(0).extendedByOne == .levels(1))
        #expect(RelationshipDepth.levels(3).extendedByOne == .levels(4))
        #expect(RelationshipDepth.levels(.max - 1).extendedByOne == .levels(.max))
        #expect(RelationshipDepth.levels(.max).extendedByOne == .levels(.max))
        #expect(RelationshipDepth.allRelationships.extendedByOne == .allRelationships)
    }

    @Test func extendingLeavesANumberThatTraps() {
        #expect(RelationshipDepth.levels(-1).extendedByOne == .levels(-1))
        #expect(RelationshipDepth.levels(.min).extendedByOne == .levels(.min))
    }
}
