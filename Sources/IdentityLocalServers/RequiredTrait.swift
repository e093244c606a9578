#if !Tools
#error("The local servers need the trait \"Tools\" of swift-identity. A package that fetches it names the trait.")
#endif
