/// The error of a request that the API has no answer to.
struct NotFound: Error {}
