import FlatCachePersistence
import Testing

@testable import BenchmarkSupport

struct PersistenceRowsTests {
    @Test(
        .timeLimit(.minutes(2)),
        arguments: Row.all.filter { (19...22).contains($0.number) }.map(\.name)
    )
    func rowThatNeedsNoOtherProcessHasAResult(name: String) throws {
        let row = try #require(Row.all.first { $0.name == name })
        let result = try #require(row.measure(rounds: 1, scale: .quick))
        #expect(result.baseline.median > 0 && result.subject.median > 0)
    }

    @Test func quickRunRepeatsSlowOperationsLess() {
        #expect(Scale.full(slow: 30) == 30)
        #expect(Scale.quick(slow: 30) == 2)
        #expect(Scale.quick(slow: 500) == 5)
    }

    @Test func placesOfMomentsCanBeSentToAnotherProcess() throws {
        let folder = try ScratchFolder()
        let place = MomentPlace.file(folder.file("moment.json"))
        try place.persister().persist(42)
        let text = try OutsideWriter.Order(place: place, count: 3, seed: 1).text()
        let copy = try OutsideWriter.Order(text: text)
        #expect(try copy.place.persister().retrieveValue() == 42)
        #expect(copy.count == 3)
        #expect(copy.seed == 1)
    }

    @Test func writerWritesMomentsThatOnlyGrowAndEndsOnTheLast() throws {
        let folder = try ScratchFolder()
        let place = MomentPlace.file(folder.file("moment.json"))
        let moments = try OutsideWriter.write(
            OutsideWriter.Order(place: place, count: 3, seed: 1)
        )
        #expect(moments.count == 3)
        #expect(zip(moments, moments.dropFirst()).allSatisfy { $0 < $1 })
        #expect(try place.persister().retrieveValue() == moments.last)
    }
}
