#if os(Linux) || os(Android)
import Foundation
import Testing

@testable import FlatCachePersistence

struct InotifyEventTests {
    private func event(_ bits: Int..., name: String? = nil) -> InotifyEvent {
        InotifyEvent(watch: 1, bits: bits.reduce(0) { $0 | UInt32($1) }, name: name)
    }

    @Test func signalsOfEventsOfTheFile() {
        #expect(event(Int(IN_MODIFY)).signal(for: .contents) == .writing)
        #expect(event(Int(IN_CLOSE_WRITE)).signal(for: .contents) == .written)
        #expect(event(Int(IN_ATTRIB)).signal(for: .contents) == .written)
        #expect(event(Int(IN_DELETE_SELF)).signal(for: .contents) == .removal)
        #expect(event(Int(IN_MOVE_SELF)).signal(for: .contents) == .removal)
        #expect(event(Int(IN_IGNORED)).signal(for: .contents) == .pathChange)
        // The file is a folder, which another monitor watches for its entries.
        #expect(event(Int(IN_CREATE), name: "file").signal(for: .contents) == nil)
    }

    @Test func signalsOfEventsOfTheFilesEntry() {
        let interest = FileInterest.file(named: ExactString("file"))
        #expect(event(Int(IN_CREATE), name: "file").signal(for: interest) == .creation)
        #expect(
            event(Int(IN_CREATE), Int(IN_ISDIR), name: "file").signal(for: interest) == .replacement
        )
        #expect(event(Int(IN_MOVED_TO), name: "file").signal(for: interest) == .replacement)
        #expect(event(Int(IN_DELETE), name: "file").signal(for: interest) == .removal)
        #expect(event(Int(IN_MOVED_FROM), name: "file").signal(for: interest) == .removal)
        #expect(event(Int(IN_CLOSE_WRITE), name: "file").signal(for: interest) == .written)
        #expect(event(Int(IN_MOVED_TO), name: "other").signal(for: interest) == nil)
    }

    @Test(arguments: [FileInterest.entry(named: ExactString("a")), .link(named: ExactString("a"))])
    func signalsOfEventsOnThePath(interest: FileInterest) {
        for bits in [IN_CREATE, IN_DELETE, IN_MOVED_FROM, IN_MOVED_TO] {
            #expect(event(Int(bits), name: "a").signal(for: interest) == .pathChange)
            #expect(event(Int(bits), name: "b").signal(for: interest) == nil)
            #expect(event(Int(bits), name: "a").signal(for: .itself) == nil)
        }
        for bits in [IN_DELETE_SELF, IN_MOVE_SELF, IN_ATTRIB, IN_UNMOUNT, IN_IGNORED] {
            #expect(event(Int(bits)).signal(for: interest) == .pathChange)
            #expect(event(Int(bits)).signal(for: .itself) == .pathChange)
        }
        #expect(event(Int(IN_ATTRIB), name: "a").signal(for: interest) == nil)
    }

    @Test func overflowMeansThatAllFilesHaveChanged() {
        let event = InotifyEvent(watch: -1, bits: UInt32(IN_Q_OVERFLOW), name: nil)
        #expect(event.isOverflow)
        for interest in [FileInterest.contents, .itself, .file(named: ExactString("file"))] {
            #expect(event.signal(for: interest) == .written)
        }
    }

    @Test func eventsAreReadOneAfterTheOther() {
        var bytes: [UInt8] = []
        func append(_ watch: Int32, _ bits: UInt32, _ name: [UInt8]) {
            withUnsafeBytes(of: watch) { bytes += $0 }
            for number in [bits, 0, UInt32(name.count)] {
                withUnsafeBytes(of: number) { bytes += $0 }
            }
            bytes += name
        }
        append(7, UInt32(IN_MOVED_TO), Array("größe".utf8) + [0])
        append(8, UInt32(IN_MODIFY), [])
        append(9, UInt32(IN_CREATE), Array("f".utf8) + [UInt8](repeating: 0, count: 15))
        let events = bytes.withUnsafeBytes { InotifyEvent.events(in: $0) }
        #expect(
            events == [
                InotifyEvent(watch: 7, bits: UInt32(IN_MOVED_TO), name: "größe"),
                InotifyEvent(watch: 8, bits: UInt32(IN_MODIFY), name: nil),
                InotifyEvent(watch: 9, bits: UInt32(IN_CREATE), name: "f"),
            ]
        )
        // An incomplete event is ignored.
        let half = bytes.prefix(10).withUnsafeBytes { InotifyEvent.events(in: $0) }
        #expect(half.isEmpty)
    }
}
#endif
