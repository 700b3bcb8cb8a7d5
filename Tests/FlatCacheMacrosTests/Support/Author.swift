#if Macros
import FlatCache

struct Author: CacheEntity, Equatable { let id: Int }
#endif
