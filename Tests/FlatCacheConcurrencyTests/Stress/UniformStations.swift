@testable import FlatCache
@testable import FlatCacheTestSupport

/// Entities of several types that hold the same number in every version, because each batch writes
/// all of them.
///
/// Each batch also replaces one station by a station with the next identifier.
struct UniformStations: Sendable {
    static let stations = 24
    /// The offset that turns a batch's number into the identifier of the station that the batch
    /// adds.
    static let firstPassingID = 1000

    let cache = Cache(configuration: .smallSegments)
    /// The handles of the stations, which live as long as this object, as an app's handles do.
    let handles: [Cached<Station>]
    let noteHandle: Cached<Note>

    init() {
        handles = (0..<Self.stations).map { [cache] in cache.cached(Station.self, id: $0) }
        noteHandle = cache.cached(Note.self, id: 0)
        write()
    }

    /// Writes the next number to all entities, from the first station to the note.
    func write() {
        cache.performBatchUpdates { batch in
            let number = (batch[Station.self, 0]?.revision ?? 0) + 1
            for id in 0..<Self.stations {
                switch (id + number) % 3 {
                case 0: batch.set(Station(id: id, revision: number))
                case 1: cache.replace(Station(id: id, revision: number))
                default: handles[id].value = Station(id: id, revision: number)
                }
            }
            // A yield gives readers the chance to see half of the batch.
            yieldToOtherThreads()
            batch.remove(Station.self, id: Self.firstPassingID + number - 1)
            batch.set(Station(id: Self.firstPassingID + number))
            batch.set(Author(id: "author", name: "\(number)"))
            batch.set(Note(id: 0, text: "\(number)"))
        }
    }

    /// The number of places at which the number can be read.
    static let places = stations + 3

    /// Reads the number at a place, in one of several ways.
    ///
    /// The last places are written last.
    func read(_ place: Int, _ way: Int) -> Int? {
        switch (place, way) {
        case (Self.stations, _):
            cache.ids(of: Station.self).max().map { $0 - Self.firstPassingID }
        case (Self.stations + 1, _):
            cache[Author.self, "author"].flatMap { Int($0.name) }
        case (Self.stations + 2, 0):
            cache[Note.self, 0].flatMap { Int($0.text) }
        case (Self.stations + 2, _):
            noteHandle.value.flatMap { Int($0.text) }
        case (_, 0):
            cache.get(Station.self, id: place)?.revision
        case (_, 1):
            handles[place].value?.revision
        case (_, 2):
            cache.cached(Station.self, id: place).value?.revision
        default:
            cache.withSnapshot { $0[Station.self, place]?.revision }
        }
    }

    /// Returns a description of an inconsistency in a snapshot, or `nil` if the snapshot is
    /// consistent.
    static func problem(with snapshot: CacheSnapshot) -> String? {
        let note = snapshot[Note.self, 0]
        guard let number = note.flatMap({ Int($0.text) }) else { return "There is no number." }
        let numbers = (0..<stations).map { snapshot[Station.self, $0]?.revision }
        if numbers.contains(where: { $0 != number }) { return "\(number), but \(numbers)" }
        if snapshot[Author.self, "author"]?.name != "\(number)" {
            return "\(number), but not at the author"
        }
        let others = snapshot.ids(of: Station.self).filter { $0 >= stations }
        if others != [firstPassingID + number] { return "\(others) were stored at \(number)." }
        if snapshot.count(of: Station.self) != stations + 1 { return "The count was wrong." }
        return nil
    }
}
