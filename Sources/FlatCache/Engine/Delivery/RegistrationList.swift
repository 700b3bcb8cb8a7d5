/// A list of elements in the order in which their observations were registered.
///
/// A removal leaves a gap, and the gaps are closed when they outnumber the elements. A removal from
/// *n* elements therefore takes O(log *n*) time on average, and an iteration keeps the order.
struct RegistrationList<Element> {
    private var elements: [(registration: UInt64, element: Element?)] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(registration: UInt64) -> Element? {
        let index = firstIndex(notBefore: registration)
        guard index < elements.count, elements[index].registration == registration else {
            return nil
        }
        return elements[index].element
    }

    mutating func insert(_ element: Element, for registration: UInt64) {
        let index = firstIndex(notBefore: registration)
        if index < elements.count, elements[index].registration == registration {
            if elements[index].element == nil { count += 1 }
            elements[index].element = element
        } else {
            elements.insert((registration, element), at: index)
            count += 1
        }
    }

    mutating func remove(_ registration: UInt64) {
        let index = firstIndex(notBefore: registration)
        guard index < elements.count, elements[index].registration == registration,
            elements[index].element != nil
        else { return }
        elements[index].element = nil
        count -= 1
        if count * 2 < elements.count {
            elements.removeAll { $0.element == nil }
        }
    }

    func forEach(_ body: (Element) -> Void) {
        for case (_, let element?) in elements { body(element) }
    }

    private func firstIndex(notBefore registration: UInt64) -> Int {
        // A new observation has the greatest number, so its place is the end.
        guard let last = elements.last, last.registration >= registration else {
            return elements.count
        }
        var low = 0
        var high = elements.count
        while low < high {
            let middle = (low + high) / 2
            if elements[middle].registration < registration {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
