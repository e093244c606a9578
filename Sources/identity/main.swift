#if Tools
import ArgumentParser
#endif
