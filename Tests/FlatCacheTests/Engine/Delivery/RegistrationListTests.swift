import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct RegistrationListTests {
    private func elements(of list: RegistrationList<String>) -> [String] {
        var elements: [String] = []
        list.forEach { elements.append($0) }
        return elements
    }

    @Test func keepsTheOrderOfTheRegistrations() {
        var list = RegistrationList<String>()
        for registration in [5, 1, 9, 3] as [UInt64] {
            list.insert("\(registration)", for: registration)
        }
        #expect(elements(of: list) == ["1", "3", "5", "9"])
        #expect(list.count == 4)
        #expect(list[3] == "3")
        #expect(list[4] == nil)
    }

    @Test func oneRegistrationHasOneElement() {
        var list = RegistrationList<String>()
        list.insert("a", for: 1)
        list.insert("b", for: 1)
        #expect(elements(of: list) == ["b"])
        #expect(list.count == 1)
        list.remove(1)
        list.remove(1)
        list.remove(7)
        #expect(list.isEmpty)
        #expect(elements(of: list) == [])
    }

    @Test(arguments: RandomTestSettings(seeds: 4).seeds)
    func behavesLikeASortedDictionary(seed: Seed) {
        var random = SplitMix64(seed: seed)
        var list = RegistrationList<String>()
        var model: [UInt64: String] = [:]
        for step in 0..<2_000 {
            let registration = UInt64.random(in: 0..<60, using: &random)
            if Int.random(in: 0..<5, using: &random) < 2 {
                list.insert("\(step)", for: registration)
                model[registration] = "\(step)"
            } else {
                list.remove(registration)
                model[registration] = nil
            }
            #expect(list.count == model.count)
            #expect(list.isEmpty == model.isEmpty)
            #expect(list[registration] == model[registration])
            #expect(elements(of: list) == model.sorted { $0.key < $1.key }.map(\.value))
        }
    }
}
