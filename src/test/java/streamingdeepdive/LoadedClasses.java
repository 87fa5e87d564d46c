package streamingdeepdive;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Locale;
import streamingdeepdive.app.JavaRuntime;

/**
 * Loads all classes of the library but those of Delta, with what their methods take and give, then
 * runs the mains that are named.
 */
final class LoadedClasses {
  private LoadedClasses() {}

  /** Arguments: the mains. */
  public static void main(String[] args) throws Exception {
    JavaRuntime.prepare();
    int count = 0;
    for (JavaClass type :
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("streamingdeepdive")) {
      if (!type.getSimpleName().matches("DeltaSink|DeltaOutput")) {
        Class.forName(type.getName()).getDeclaredMethods();
        count++;
      }
    }
    System.out.println("loaded " + count);
    for (String main : args) {
      if (main.endsWith(".DeltaSink")) {
        Locale.setDefault(Locale.getDefault().stripExtensions()); // Delta needs digits from 0 to 9
      }
      System.out.print(Mains.run(Class.forName(main)));
    }
  }
}
