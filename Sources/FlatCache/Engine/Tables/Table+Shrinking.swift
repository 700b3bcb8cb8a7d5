// The release of memory when entries leave, under the writers' lock.
extension Table {
    /// Lists a segment for the end of the commit if few of its slots are occupied.
    @usableFromInline
    func listIfSparse(_ segment: Segment<Value>, in stripe: Stripe<Value>) {
        if segment.isSparse { listAsSparse(segment, in: stripe) }
    }

    @usableFromInline
    func listAsSparse(_ segment: Segment<Value>, in stripe: Stripe<Value>) {
        if segment.header.pointee.isListedAsSparse { return }
        setIsListed(true, segment, in: stripe)
        sparseSegments.append(segment.number)
    }

    @usableFromInline
    func setIsListed(_ isListed: Bool, _ segment: Segment<Value>, in stripe: Stripe<Value>) {
        stripe.acquire()
        segment.header.pointee.isListedAsSparse = isListed
        stripe.release()
    }

    /// Releases the memory of the listed segments, at the end of a commit.
    @usableFromInline
    func shrinkSparseSegments(in writer: Writer) {
        while let number = sparseSegments.popLast() {
            // The number may be free, or belong to another segment by now.
            guard let segment = segments.segment(numbered: number),
                segment.header.pointee.isListedAsSparse
            else { continue }
            setIsListed(false, segment, in: stripe(ofSegment: number))
            shrink(segment, in: writer)
        }
        sparseSegments.removeAll(keepingCapacity: sparseSegments.capacity <= 64)
    }

    /// Joins a sparse segment with its neighbors, or replaces it by a smaller one.
    @usableFromInline
    func shrink(_ segment: Segment<Value>, in writer: Writer) {
        guard segment.isSparse else { return }
        let stripe = stripe(ofSegment: segment.number)
        let (joined, range) = stripe.segmentsToJoin(with: segment, size)
        let count = Int(truncatingIfNeeded: segment.header.pointee.count)
        if joined.count == 1, size.capacity(for: count) >= segment.capacity { return }
        replace(
            joined,
            of: range,
            by: SegmentDivision(bits: 0, expectedCount: 0),
            inStripe: Stripes.index(of: segment.number),
            in: writer
        )
        stripe.shrinkDirectory()
    }
}
