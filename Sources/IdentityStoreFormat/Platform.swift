// Imports system calls, dates and data. If Foundation has a smaller module, only that module is linked. Loading all of
// Foundation takes half a millisecond when a program starts, which is long for `identity-launcher`.

#if canImport(Darwin)
@_exported import Foundation
#else
@_exported import FoundationEssentials
#if canImport(Musl)
@_exported import Musl
#else
@_exported import Glibc
#endif
#endif
