#if !Tools
#error("The local servers need the trait \"Tools\" of swift-identity, which is on by default.")
#endif
