/* Give an SSE build of gnubg the reciprocals of Intel's processors, whoever made the one it runs on.

   The sigmoid of gnubg's neural nets divides by `rcpps`, an instruction that promises twelve bits and leaves the rest to
   the processor's maker. Intel's gives the reciprocal of the middle of the argument's interval (the upper eleven bits of
   its fraction), rounded to twelve bits of fraction. Preloaded, this library puts a call in the place of the one
   `rcpps` of the program, which computes exactly that; with RECIPROCAL=exact in the environment it divides instead.

   Build: cc -O1 -shared -fPIC -o intel_reciprocal.so intel_reciprocal.c    (x86-64 Linux)
   Use:   LD_PRELOAD=$PWD/intel_reciprocal.so gnubg -t */

#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096UL

/* What the compiler made of the sigmoid: rcpps %xmm0,%xmm0 and subps %xmm0,%xmm2, six bytes in all. A call takes five.
   The call does both instructions and keeps every other register. */
static const unsigned char RECIPROCAL_AND_DIFFERENCE[] = {0x0f, 0x53, 0xc0, 0x0f, 0x5c, 0xd0};

__asm__(".text\n"
        "intel_begin:\n"
        " sub $24, %rsp\n"
        " movups %xmm15, (%rsp)\n"
        " pand upper_bits(%rip), %xmm0\n"
        " por middle(%rip), %xmm0\n"
        " movaps intel_one(%rip), %xmm15\n"
        " divps %xmm0, %xmm15\n"
        " movaps %xmm15, %xmm0\n"
        " paddd half_a_unit(%rip), %xmm0\n"
        " pand twelve_bits(%rip), %xmm0\n"
        " movups (%rsp), %xmm15\n"
        " add $24, %rsp\n"
        " subps %xmm0, %xmm2\n"
        " ret\n"
        ".balign 16\n"
        "upper_bits: .long 0xfffff000, 0xfffff000, 0xfffff000, 0xfffff000\n"
        "middle: .long 0x800, 0x800, 0x800, 0x800\n"
        "intel_one: .long 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000\n"
        "half_a_unit: .long 0x400, 0x400, 0x400, 0x400\n"
        "twelve_bits: .long 0xfffff800, 0xfffff800, 0xfffff800, 0xfffff800\n"
        "intel_end:\n"
        ".balign 16\n"
        "exact_begin:\n"
        " sub $24, %rsp\n"
        " movups %xmm15, (%rsp)\n"
        " movaps exact_one(%rip), %xmm15\n"
        " divps %xmm0, %xmm15\n"
        " movaps %xmm15, %xmm0\n"
        " movups (%rsp), %xmm15\n"
        " add $24, %rsp\n"
        " subps %xmm0, %xmm2\n"
        " ret\n"
        ".balign 16\n"
        "exact_one: .long 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000\n"
        "exact_end:\n");

extern const char intel_begin[], intel_end[], exact_begin[], exact_end[];

struct place {
    uintptr_t base;
    unsigned char *found;
    int times;
};

static void stop(const char *why)
{
    fprintf(stderr, "intel_reciprocal: %s\n", why);
    exit(1);
}

/* Look for the instructions in the program itself, which comes first and has no name. */
static int search(struct dl_phdr_info *info, size_t size, void *data)
{
    struct place *place = data;
    (void)size;
    place->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        unsigned char *at = (unsigned char *)(place->base + part->p_vaddr), *end = at + part->p_memsz;
        while ((at = memmem(at, (size_t)(end - at), RECIPROCAL_AND_DIFFERENCE, sizeof RECIPROCAL_AND_DIFFERENCE))) {
            place->found = at++;
            place->times++;
        }
    }
    return 1;
}

__attribute__((constructor)) static void take_its_place(void)
{
    /* The variable reaches gnubg's children as well (a shell, a package manager): only gnubg has the instructions. */
    if (!strstr(program_invocation_short_name, "gnubg"))
        return;
    struct place place = {0, NULL, 0};
    dl_iterate_phdr(search, &place);
    if (place.times != 1)
        stop("this gnubg does not have the one rcpps that is looked for: it is no SSE build, or another compiler's");
    const char *kind = getenv("RECIPROCAL");
    int exact = kind && !strcmp(kind, "exact");
    const char *begin = exact ? exact_begin : intel_begin, *end = exact ? exact_end : intel_end;
    /* A call reaches two gigabytes; the page before the program is free. */
    unsigned char *code = mmap((void *)(place.base - 16 * PAGE), PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (code == MAP_FAILED)
        stop("no memory near the program");
    memcpy(code, begin, (size_t)(end - begin));
    if (mprotect((void *)((uintptr_t)place.found & ~(PAGE - 1)), 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
        stop("the program's text cannot be changed");
    int32_t distance = (int32_t)(code - (place.found + 5));
    place.found[0] = 0xe8;
    memcpy(place.found + 1, &distance, sizeof distance);
    place.found[5] = 0x90;
}
