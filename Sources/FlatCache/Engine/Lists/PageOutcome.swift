/// The outcome of a request for a page, which all callers that wait for the page share.
@usableFromInline
enum PageOutcome: Sendable {
    /// The page is in the list.
    case merged
    /// The page has no new element and repeats the cursor of an earlier page.
    case repeated
    /// The list changed during the request, so that the page no longer belongs to it.
    case dropped
    /// The list changed before the request, which wasn't made.
    case outdated
}
