/* SPDX-License-Identifier: Apache-2.0 */
#include "report/recordings.h"

#include "base/arena.h"
#include "base/fs.h"

#include <stdlib.h>

static void add_folder(recordings *all, size_t *capacity, const char *folder) {
    rft_err err = RFT_ERR_INIT;
    char **names = NULL;
    size_t count = 0;
    if (!rft_fs_is_folder(folder) || rft_fs_list(&names, &count, folder, ".json.gz", &err) != 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        RFT_GROW(all->files, *capacity, all->count + 1);
        all->files[all->count++] = rft_fs_join(folder, names[i]);
    }
    rft_fs_list_free(names, count);
}

recordings recordings_of(int argc, char **argv) {
    recordings all = {.named = argc > 1};
    rft_err err = RFT_ERR_INIT;
    char **folders = NULL;
    size_t folder_count = 0, capacity = 0;
    for (int i = 1; i < argc; i++) {
        RFT_GROW(all.files, capacity, all.count + 1);
        all.files[all.count++] = rft_strdup(argv[i]);
    }
    if (argc > 1 || rft_fs_list(&folders, &folder_count, RFT_SOURCE_DIR "/sweeps/recorded", NULL, &err) != 0) {
        return all;
    }
    for (size_t i = 0; i < folder_count; i++) {
        char *folder = rft_fs_join(RFT_SOURCE_DIR "/sweeps/recorded", folders[i]);
        add_folder(&all, &capacity, folder);
        free(folder);
    }
    rft_fs_list_free(folders, folder_count);
    return all;
}

void recordings_clear(recordings *all) {
    for (size_t i = 0; i < all->count; i++) {
        free(all->files[i]);
    }
    free(all->files);
    *all = (recordings){0};
}
