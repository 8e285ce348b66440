#if FACE == 8
#define HANDLE(kind) type(kind)
#define CODE
#else
#define HANDLE(kind) integer
#define CODE , code
#endif
